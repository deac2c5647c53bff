/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a pcap file as templates to copy from, and received frames on their way into a pcap file. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>
#include <stdio.h>

/* Longest frame, without FCS: what a buffer of the usual 2048 bytes takes with room to spare. */
#define FRAME_MAX 1920

struct frame {
	uint32_t offset;        /* in the array of bytes */
	uint16_t length;
	uint16_t trailer_sum;   /* ones' complement sum of the bytes a stamp replaces; see latency.h */
};

struct frames {
	struct frame *list;
	uint8_t *bytes;         /* each frame starts a cache line and is padded to the end of one */
	uint32_t count;
	uint32_t unstampable;   /* frames that have no room for a stamp, or a checksum that one would break */
	uint64_t total;         /* bytes of all frames */
};

struct capture {
	FILE *file;             /* NULL: no capture was asked for */
	char *buffer;
	uint32_t left, count;
};

/* Takes the frames of a file in the place of those there were. NULL, or why not; then nothing has changed. */
const char *frames_load(struct frames *frames, const char *path);
void frames_release(struct frames *frames);
/* Bytes of the first `sent` frames of the endless repetition: cheaper than to count packet by packet. */
uint64_t frames_bytes(const struct frames *frames, uint64_t sent);

/* NULL, or why not. Nothing is written before the end: the disk must not disturb a run. */
const char *capture_begin(struct capture *capture, const char *path, uint32_t count);
void capture_add(struct capture *capture, const void *data, uint32_t length, uint64_t nanoseconds);
const char *capture_end(struct capture *capture);

#endif
