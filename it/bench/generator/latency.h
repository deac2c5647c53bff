/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps in frames and the histogram of what they tell.
 *
 * The last 12 bytes of a stamped frame: magic (2), compensation (2), run (2), time stamp counter (6). The smallest
 * tagged frame has only 14 bytes of payload, so there is no room for more. The compensation makes the ones' complement
 * sum of the 12 bytes what it was in the template, wherever they start, so the UDP checksum stays valid. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>

#define TRAILER_BYTES 12
#define TRAILER_MAGIC 0x5b9d
#define TIME_BITS 48

/* Buckets as wide as 1/128 of the power of two they are in: 0.4 % error at most, any size, no configuration. */
#define SUB_BITS 7
#define BUCKETS ((TIME_BITS - SUB_BITS + 1) << SUB_BITS)

struct trailer {
	uint16_t magic, compensation, run, time[3];
} __attribute__((packed));

struct latency {
	uint64_t count, sum, min, max;
	uint64_t buckets[BUCKETS];
};

/* The ones' complement sum of the 12 bytes. */
static inline uint16_t sum16(const uint8_t *bytes)
{
	uint32_t sum = 0;
	for (int i = 0; i < TRAILER_BYTES; i += 2) {
		uint16_t one;
		memcpy(&one, bytes + i, sizeof(one));
		sum += one;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

static inline void stamp(uint8_t *end, uint16_t wanted_sum, uint16_t run, uint64_t now)
{
	struct trailer trailer = { .magic = TRAILER_MAGIC, .run = run,
		.time = { (uint16_t)now, (uint16_t)(now >> 16), (uint16_t)(now >> 32) } };
	/* Adding the complement is subtracting; folded twice because the first fold may carry. */
	uint32_t sum = wanted_sum + (uint32_t)(uint16_t)~sum16((const uint8_t *)&trailer);
	sum = (sum & 0xffff) + (sum >> 16);
	trailer.compensation = (uint16_t)sum;
	memcpy(end - TRAILER_BYTES, &trailer, sizeof(trailer));
}

static inline void latency_read(struct latency *latency, const uint8_t *end, uint16_t run, uint64_t now)
{
	struct trailer trailer;
	memcpy(&trailer, end - TRAILER_BYTES, sizeof(trailer));
	if (trailer.magic != TRAILER_MAGIC || trailer.run != run)
		return;   /* not ours, or of a run that is over */
	uint64_t then = trailer.time[0] | (uint64_t)trailer.time[1] << 16 | (uint64_t)trailer.time[2] << 32;
	uint64_t value = (now - then) & ((UINT64_C(1) << TIME_BITS) - 1);
	uint32_t shift = value >> SUB_BITS ? (uint32_t)(63 - __builtin_clzll(value)) - SUB_BITS : 0;
	latency->buckets[(shift << SUB_BITS) + (value >> shift)]++;
	latency->count++;
	latency->sum += value;
	if (value < latency->min)
		latency->min = value;
	if (value > latency->max)
		latency->max = value;
}

void latency_clear(struct latency *latency);
/* The value that `share` (0..1) of all are not above. */
uint64_t latency_quantile(const struct latency *latency, double share);

#endif
