/*
 * libvncclient as the peer of our decoders: reads the same recorded traffic from a socket, several times over.
 *   libvncclient-decode PORT UPDATES ROUNDS PICTURE
 * Writes one line a round, the user and system CPU in microseconds from the first byte after ServerInit to the end of
 * the last update, and at the end the picture's bytes (RGBX) to the file PICTURE.
 */
#include <rfb/rfbclient.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int updates;

static void count_update(rfbClient *client) {
  (void)client;
  updates++;
}

static void quiet(const char *format, ...) { (void)format; }

static long microseconds(struct timeval from, struct timeval to) {
  return (to.tv_sec - from.tv_sec) * 1000000L + (to.tv_usec - from.tv_usec);
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  int wanted = atoi(argv[2]);
  int rounds = atoi(argv[3]);
  rfbClientLog = rfbClientErr = quiet;
  for (int round = 0; round < rounds; round++) {
    rfbClient *client = rfbGetClient(8, 3, 4);
    client->serverHost = strdup("127.0.0.1");
    client->serverPort = atoi(argv[1]);
    client->appData.encodingsString = "tight zrle hextile copyrect";
    client->FinishedFrameBufferUpdate = count_update;
    updates = 0;
    if (!rfbInitClient(client, NULL, NULL)) return 1;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    while (updates < wanted) {
      /* select() knows nothing of what was read already. */
      if (client->buffered == 0 && WaitForMessage(client, 20000000) <= 0) return 2;
      if (!HandleRFBServerMessage(client)) return 3;
    }
    getrusage(RUSAGE_SELF, &after);
    printf("%ld %ld\n", microseconds(before.ru_utime, after.ru_utime),
           microseconds(before.ru_stime, after.ru_stime));
    if (round == rounds - 1) {
      FILE *picture = fopen(argv[4], "wb");
      if (picture == NULL) return 4;
      fwrite(client->frameBuffer, 4, (size_t)client->width * client->height, picture);
      fclose(picture);
    }
    rfbClientCleanup(client);
  }
  return 0;
}
