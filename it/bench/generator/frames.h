/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a pcap file as templates to copy from, and received frames on their way into a pcap file. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Longest frame, without FCS: what a buffer of the usual 2048 bytes takes with room to spare. */
#define FRAME_MAX 1920

struct frame {
	uint32_t offset;        /* in the array of bytes */
	uint16_t length;
	uint16_t trailer_sum;   /* ones' complement sum of the bytes a stamp replaces; see latency.h */
	uint32_t left;          /* packets until its connection ends, where connections do */
	uint8_t ports;          /* offset of the TCP or UDP ports, 0 if there are none */
};

struct frames {
	struct frame *list;
	uint8_t *bytes;         /* each frame starts a cache line and is padded to the end of one */
	uint32_t count;
	uint32_t unstampable;   /* frames that have no room for a stamp, or a checksum that one would break */
	uint64_t total;         /* bytes of all frames */
	uint32_t *order;        /* indexes of the frames to send, again and again; NULL: all, as they come */
	uint32_t order_count;
	uint64_t order_total;   /* bytes of the frames of the order */
	uint32_t life;          /* packets of each connection; 0: connections do not end */
	uint16_t next_source, next_target;   /* ports of the next connection */
};

struct capture {
	FILE *file;             /* NULL: no capture was asked for */
	char *buffer;
	uint32_t left, count;
};

/* How many frames go out until they begin again, and which one is at a place of that cycle. */
static inline uint32_t frames_cycle(const struct frames *frames)
{
	return frames->order ? frames->order_count : frames->count;
}

static inline uint32_t frames_at(const struct frames *frames, uint32_t place)
{
	return frames->order ? frames->order[place] : place;
}

/* Takes the frames of a file in the place of those there were. NULL, or why not; then nothing has changed. */
const char *frames_load(struct frames *frames, const char *path);
/* Takes the order from a file of 32-bit indexes in this machine's byte order; NULL as path: as they come. */
const char *frames_order(struct frames *frames, const char *path);
/* Ends the connection of each frame after `life` packets: a new one begins, with ports that no frame had before. The
 * first ones end one by one, not all at the same time. 0: connections do not end. */
const char *frames_live(struct frames *frames, uint32_t life);
void frames_renew(struct frames *frames, struct frame *frame);
void frames_release(struct frames *frames);
/* Bytes of the first `sent` frames of the endless repetition: cheaper than to count packet by packet. */
uint64_t frames_bytes(const struct frames *frames, uint64_t sent);

/* NULL, or why not. Nothing is written before the end: the disk must not disturb a run. */
const char *capture_begin(struct capture *capture, const char *path, uint32_t count);
void capture_add(struct capture *capture, const void *data, uint32_t length, uint64_t nanoseconds);
const char *capture_end(struct capture *capture);

#endif
