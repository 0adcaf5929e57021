"""The host's half of SPNEGO with NTLM, by MIT Kerberos' GSSAPI with gss-ntlmssp under it, for spnego-host.ts.

NTLM_USER_FILE names the accounts. One request a line: "accept HEX", "wrap HEX", "unwrap HEX". One answer a line:
"more HEX" and "done HEX" with the token for the client, "ok HEX" with the message, or "failed MAJOR MINOR".
"""

import ctypes
import sys

CONTINUE_NEEDED = 1
ERRORS = 0xFFFF0000

gss = ctypes.CDLL("libgssapi_krb5.so.2")


class Buffer(ctypes.Structure):
    _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]


class Oid(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint32), ("elements", ctypes.c_void_p)]


class OidSet(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("elements", ctypes.POINTER(Oid))]


class Failure(Exception):
    pass


minor = ctypes.c_uint32()
context = ctypes.c_void_p()
kept = []


def call(name, *arguments):
    major = getattr(gss, name)(ctypes.byref(minor), *arguments) & 0xFFFFFFFF
    if major & ERRORS:
        raise Failure(f"{major:x} {minor.value:x}")
    return major


def buffer_of(data):
    memory = ctypes.create_string_buffer(data, len(data))
    kept.append(memory)
    return Buffer(len(data), ctypes.cast(memory, ctypes.c_void_p))


def set_of(data):
    value = buffer_of(data)
    oid = Oid(value.length, value.value)
    kept.append(oid)
    return OidSet(1, ctypes.pointer(oid))


def acquire():
    """What accepts SPNEGO (1.3.6.1.5.5.2) and in it NTLM (1.3.6.1.4.1.311.2.2.10) alone."""
    spnego = set_of(bytes.fromhex("2b0601050502"))
    ntlm = set_of(bytes.fromhex("2b06010401823702020a"))
    credentials = ctypes.c_void_p()
    accepts = 2
    call("gss_acquire_cred", None, 0, ctypes.byref(spnego), accepts, ctypes.byref(credentials), None, None)
    call("gss_set_neg_mechs", credentials, ctypes.byref(ntlm))
    return credentials


def accept(credentials, token):
    answer = Buffer()
    major = call(
        "gss_accept_sec_context",
        ctypes.byref(context),
        credentials,
        ctypes.byref(buffer_of(token)),
        None,
        None,
        None,
        ctypes.byref(answer),
        None,
        None,
        None,
    )
    word = "more" if major & CONTINUE_NEEDED else "done"
    return f"{word} {ctypes.string_at(answer.value, answer.length).hex()}"


def wrap(message):
    sealed = Buffer()
    call("gss_wrap", context, 1, 0, ctypes.byref(buffer_of(message)), None, ctypes.byref(sealed))
    return f"ok {ctypes.string_at(sealed.value, sealed.length).hex()}"


def unwrap(sealed):
    message = Buffer()
    call("gss_unwrap", context, ctypes.byref(buffer_of(sealed)), ctypes.byref(message), None, None)
    return f"ok {ctypes.string_at(message.value, message.length).hex()}"


credentials = acquire()
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    data = bytes.fromhex(rest)
    try:
        said = accept(credentials, data) if word == "accept" else wrap(data) if word == "wrap" else unwrap(data)
    except Failure as failure:
        said = f"failed {failure}"
    print(said, flush=True)
