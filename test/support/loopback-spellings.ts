import { hostname } from "node:os";

/**
 * How somebody may write an address of this machine, or one that is never a desktop, to get past who reads it: decimal,
 * octal, hexadecimal and short forms, full width digits, IPv4 within IPv6, zones, final dots, blanks. Some lead nowhere.
 */
export const SPELLINGS: readonly string[] = [
  ...[
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "LocalHost",
    "127.1",
    "127.0.1",
    "127.8.9.10",
    "127.255.255.254",
  ],
  ...["2130706433", "0x7f000001", "0X7F000001", "017700000001", "0x7f.1", "0x7f.0x0.0x0.0x1", "127.0x1"],
  ...["0177.0.0.1", "0177.0.0.01", "0177.1", "127.000.000.001", "127.0.0x0.1", "00000177.0.0.1"],
  ...["::1", "0:0:0:0:0:0:0:1", "00:0::1", "0000:0000:0000:0000:0000:0000:0000:0001", "::0001", "::0.0.0.1"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::FFFF:7F00:1", "0:0:0:0:0:ffff:127.0.0.1", "::ffff:127.8.9.10"],
  ...["::127.0.0.1", "::7f00:1", "::1%lo", "::1%1", "::ffff:127.0.0.1%lo", "127.0.0.1%lo"],
  ...["64:ff9b::7f00:1", "64:ff9b::127.0.0.1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::"],
  ...["::ffff:0:7f00:1", "::ffff:0:127.0.0.1", "fec0::1"],
  ...["127.0.0.1.", "localhost.", "x.localhost", "localhost.localdomain", "ip6-localhost", hostname()],
  ...["１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "[::1]", " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\t"],
  ...["0", "0.0.0.0", "00", "0x0", "0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"],
  ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "::ffff:a9fe:a9fe", "fe80::1%lo"],
  ...["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"],
];
