/* Delays what a host of an emulated cluster sends to far hosts: the kernel routes such packets to a TUN device, from which they
   are read, held, and sent on through a raw socket whose mark takes them past that route.

       delay_relay DEVICE ADDRESS=MILLISECONDS...   (ADDRESS: the last byte of an IPv4 address)

   Runs until it is ended. Packets that do not fit are lost, as in any queue. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/ip.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { longest_packet = 1600, queue_length = 8192, most_delays = 4, mark = 1 };

struct packet {
  double due;
  int length;
  unsigned char bytes[longest_packet];
};

/* All packets of one delay, first come, first gone. */
struct queue {
  double delay;
  int first, count;
  struct packet* packets;
};

static struct queue queues[most_delays];
static int queue_of[256], known;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int queue_with(double delay) {
  for (int i = 0; i < known; ++i)
    if (queues[i].delay == delay) return i;
  if (known == most_delays) fail("too many delays");
  queues[known] = (struct queue){delay, 0, 0, malloc(queue_length * sizeof(struct packet))};
  if (!queues[known].packets) fail("malloc");
  return known++;
}

static int open_tun(const char* name) {
  const int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (tun < 0 || ioctl(tun, TUNSETIFF, &request) < 0) fail("TUN device");
  return tun;
}

static int open_raw(void) {
  const int raw = socket(AF_INET, SOCK_RAW, IPPROTO_RAW), value = mark;
  if (raw < 0 || setsockopt(raw, SOL_SOCKET, SO_MARK, &value, sizeof value) < 0) fail("raw socket");
  return raw;
}

static void take(int tun) {
  static struct packet spare;
  for (;;) {
    const int length = (int)read(tun, spare.bytes, longest_packet);
    if (length < (int)sizeof(struct iphdr)) return;
    struct queue* queue = &queues[queue_of[spare.bytes[19]]];
    if (queue->count == queue_length) continue;
    struct packet* packet = &queue->packets[(queue->first + queue->count++) % queue_length];
    memcpy(packet->bytes, spare.bytes, (size_t)length);
    packet->length = length;
    packet->due = now() + queue->delay;
  }
}

/* Sends what is due; milliseconds until the next is. */
static int pass_on(int raw) {
  double next = 1;
  for (int i = 0; i < known; ++i)
    for (struct queue* queue = &queues[i]; queue->count > 0;) {
      struct packet* packet = &queue->packets[queue->first];
      const double left = packet->due - now();
      if (left > 0) {
        if (left < next) next = left;
        break;
      }
      struct sockaddr_in to = {.sin_family = AF_INET};
      memcpy(&to.sin_addr, packet->bytes + 16, 4);
      sendto(raw, packet->bytes, (size_t)packet->length, 0, (struct sockaddr*)&to, sizeof to);
      queue->first = (queue->first + 1) % queue_length;
      --queue->count;
    }
  return (int)(next * 1e3) + 1;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 2; i < argc; ++i) {
    int address;
    double delay;
    if (sscanf(argv[i], "%d=%lf", &address, &delay) != 2 || address < 0 || address > 255) return 2;
    queue_of[address] = queue_with(delay / 1e3);
  }
  const int tun = open_tun(argv[1]), raw = open_raw();
  for (int wait = 0;;) {
    struct pollfd readable = {.fd = tun, .events = POLLIN};
    poll(&readable, 1, wait);
    take(tun);
    wait = pass_on(raw);
  }
}
