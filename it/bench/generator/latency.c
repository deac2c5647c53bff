/* SPDX-License-Identifier: Apache-2.0 */
#include "latency.h"

void latency_clear(struct latency *latency)
{
	memset(latency, 0, sizeof(*latency));
	latency->min = UINT64_MAX;
}

uint64_t latency_quantile(const struct latency *latency, double share)
{
	uint64_t wanted = (uint64_t)(share * (double)latency->count + 0.5), seen = 0;
	for (uint32_t i = 0; i < BUCKETS; i++) {
		seen += latency->buckets[i];
		if (latency->buckets[i] && seen >= wanted) {
			uint32_t shift = i >> SUB_BITS ? (i >> SUB_BITS) - 1 : 0;
			uint64_t low = (uint64_t)(i - (shift << SUB_BITS)) << shift;
			uint64_t middle = low + ((UINT64_C(1) << shift) >> 1);
			/* The ends are known exactly. */
			return middle < latency->min ? latency->min : middle > latency->max ? latency->max : middle;
		}
	}
	return latency->max;
}
