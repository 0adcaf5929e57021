/*
 * libvncclient as a peer of our VNC port: connects, then reads commands from stdin.
 *   vncclient HOST PORT FORMAT PASSWORD ENCODING...
 *               FORMAT: rgbx, bgrx, xbgr (big-endian), rgb565 or bgr233; PASSWORD: - for none
 *   OC_SECURITY in the environment: the number of the one security type to take
 *   wait HEX    reads updates until the bottom right pixel's bytes are HEX, then writes "WIDTH HEIGHT BYTES\n" and
 *               the picture's bytes to stdout
 *   click X Y   presses and releases the left button there
 *   key KEYSYM  presses and releases a key
 */
#include <rfb/rfbclient.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *password;

static char *get_password(rfbClient *client) {
  (void)client;
  return strdup(password);
}

/* OC_USER with PASSWORD where a user is asked for, OC_CA where a certificate is to be judged. */
static rfbCredential *get_credential(rfbClient *client, int type) {
  (void)client;
  rfbCredential *credential = calloc(1, sizeof *credential);
  const char *user = getenv("OC_USER");
  const char *ca = getenv("OC_CA");
  if (type == rfbCredentialTypeX509) {
    if (ca != NULL) credential->x509Credential.x509CACertFile = strdup(ca);
    return credential;
  }
  credential->userCredential.username = strdup(user != NULL ? user : "");
  credential->userCredential.password = strdup(password);
  return credential;
}

static void quiet(const char *format, ...) { (void)format; }

static int at_marker(rfbClient *client, const unsigned char *marker, int size) {
  long last = ((long)client->width * client->height - 1) * size;
  /* One byte of four means nothing. */
  int first = size == 4 && client->format.bigEndian ? 1 : 0;
  return memcmp(client->frameBuffer + last + first, marker, size == 4 ? 3 : size) == 0;
}

static int wait_for(rfbClient *client, const char *hex, int size) {
  unsigned char marker[4] = {0};
  for (int i = 0; i < 4 && hex[i * 2] != '\0' && hex[i * 2] != '\n'; i++) {
    unsigned value;
    if (sscanf(hex + i * 2, "%2x", &value) != 1) return 0;
    marker[i] = (unsigned char)value;
  }
  /* A marker that stands already says nothing about what else is on its way, so markers are never used twice. */
  while (!at_marker(client, marker, size)) {
    if (WaitForMessage(client, 20000000) <= 0) return 0;
    if (!HandleRFBServerMessage(client)) return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 6) return 64;
  const char *format = argv[3];
  int is565 = strcmp(format, "rgb565") == 0;
  int is233 = strcmp(format, "bgr233") == 0;
  rfbClientLog = quiet;
  rfbClient *client = is565 ? rfbGetClient(5, 3, 2) : is233 ? rfbGetClient(2, 3, 1) : rfbGetClient(8, 3, 4);
  int size = is565 ? 2 : is233 ? 1 : 4;
  char encodings[256] = "";
  for (int i = 5; i < argc; i++) {
    strncat(encodings, argv[i], sizeof encodings - strlen(encodings) - 2);
    strcat(encodings, " ");
  }
  client->serverHost = strdup(argv[1]);
  client->serverPort = atoi(argv[2]);
  client->appData.encodingsString = encodings;
  client->appData.enableJPEG = FALSE;
  client->canHandleNewFBSize = TRUE;
  client->GetPassword = get_password;
  client->GetCredential = get_credential;
  const char *security = getenv("OC_SECURITY");
  if (security != NULL) {
    uint32_t types[] = {(uint32_t)atoi(security), 0};
    SetClientAuthSchemes(client, types, -1);
  }
  password = argv[4];
  if (strcmp(format, "bgrx") == 0) {
    client->format.redShift = 16;
    client->format.greenShift = 8;
    client->format.blueShift = 0;
  } else if (strcmp(format, "xbgr") == 0) {
    client->format.bigEndian = 1;
  } else if (is233) {
    client->format.depth = 8;
    client->format.redShift = 0;
    client->format.greenShift = 3;
    client->format.blueShift = 6;
    client->format.redMax = 7;
    client->format.greenMax = 7;
    client->format.blueMax = 3;
  } else if (is565) {
    client->format.depth = 16;
    client->format.redShift = 11;
    client->format.greenShift = 5;
    client->format.blueShift = 0;
    client->format.redMax = 31;
    client->format.greenMax = 63;
    client->format.blueMax = 31;
  }
  if (!rfbInitClient(client, NULL, NULL)) {
    printf("refused\n");
    return 1;
  }
  printf("connected %s\n", client->desktopName);
  fflush(stdout);
  char line[128];
  while (fgets(line, sizeof line, stdin) != NULL) {
    int x, y;
    unsigned keysym;
    if (strncmp(line, "wait ", 5) == 0) {
      if (!wait_for(client, line + 5, size)) return 2;
      long bytes = (long)client->width * client->height * size;
      printf("%d %d %ld\n", client->width, client->height, bytes);
      fwrite(client->frameBuffer, 1, bytes, stdout);
      fflush(stdout);
    } else if (sscanf(line, "click %d %d", &x, &y) == 2) {
      SendPointerEvent(client, x, y, rfbButton1Mask);
      SendPointerEvent(client, x, y, 0);
    } else if (sscanf(line, "key %x", &keysym) == 1) {
      SendKeyEvent(client, keysym, TRUE);
      SendKeyEvent(client, keysym, FALSE);
    }
  }
  rfbClientCleanup(client);
  return 0;
}
