/* SPDX-License-Identifier: Apache-2.0 */
/* Spreads frames evenly over time. Frames that could not be sent when their time came are sent late, but never more
 * than `most` in one go: what is over is given up, because a burst nobody asked for would measure something else. */
#ifndef PACE_H
#define PACE_H

#include <stdint.h>

struct pace {
	double period;    /* cycles from frame to frame */
	double next;      /* when the next one is due, in cycles since the start */
};

/* How many frames are due; *late grows by those given up. */
static inline uint32_t pace_due(struct pace *pace, uint64_t since_start, uint32_t most, uint64_t *late)
{
	double behind = (double)since_start - pace->next;
	if (behind < 0)
		return 0;
	double due = 1 + behind / pace->period;
	if (due < most + 1)
		return (uint32_t)due;
	uint64_t over = (uint64_t)due - most;
	*late += over;
	pace->next += (double)over * pace->period;
	return most;
}

static inline void pace_sent(struct pace *pace, uint32_t count)
{
	pace->next += count * pace->period;
}

#endif
