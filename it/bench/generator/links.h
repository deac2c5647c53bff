/* SPDX-License-Identifier: Apache-2.0 */
/* A link: one virtio-user port, the socket of which the switch connects to. */
#ifndef LINKS_H
#define LINKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "frames.h"
#include "latency.h"

#define LINKS_MAX 16
#define RING_SIZE 1024
/* Small, so that whatever is on its way fits into the rings it comes out of: while something else has our core nobody
 * empties those, and a frame lost there would be blamed on the switch. Larger ones give no more throughput. */
#define SEND_RING 256
#define BURST 32

struct counters {
	uint64_t tx, rx, rx_bytes, rx_window;
	uint64_t full;         /* attempts to send that the ring did not take whole */
	uint64_t late;         /* frames whose time had passed: never sent, so that no burst grows beyond BURST */
	uint64_t refused;      /* those of them for which the ring had no room */
	uint64_t answered, unanswered;
	uint64_t forwarded;    /* received here and sent by the other of the pair */
	uint64_t unforwarded;  /* received here, and the other's ring had no room for it until the run was over */
};

struct link {
	char *name;
	char *path;
	uint16_t port;
	atomic_bool started;   /* all but name and path are good from then on */
	bool answers;
	struct link *forwards_to;   /* NULL: what it receives has arrived; else the other of the pair */
	struct frames frames;
	struct capture capture;
	struct counters counters;
	struct latency latency;
	struct rte_mempool *receive_pool;
	struct rte_mempool *send_pool;

	/* Of the current run only. */
	uint32_t next_frame;                 /* its place in the cycle */
	uint64_t left;                       /* frames still to send when a burst is asked for */
	struct rte_mbuf *waiting[BURST];     /* made, or to be forwarded; not yet taken by the ring */
	uint16_t waiting_count;
};

struct links {
	struct link list[LINKS_MAX];
	int count;
	int answers;   /* the file that answers to commands go to */
};

/* NULL, or why not. Names and paths come from the command line: "NAME=PATH". */
const char *links_add(struct links *links, const char *definition);
/* Makes room for the socket: removes one that a former process left. */
const char *links_clear_sockets(const struct links *links);
/* Starts them in a thread of their own, one after the other: the driver makes a socket, and then sleeps until somebody
 * has connected to it. Commands are obeyed meanwhile. */
const char *links_start(struct links *links);
struct link *links_find(struct links *links, const char *name, size_t length);
bool link_is_up(const struct link *link);
void links_stop(struct links *links);

#endif
