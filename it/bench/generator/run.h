/* SPDX-License-Identifier: Apache-2.0 */
/* One run: the loop that sends and receives. */
#ifndef RUN_H
#define RUN_H

#include "links.h"

struct run {
	struct link *senders[LINKS_MAX];
	int sender_count;
	double seconds;          /* wanted, then what it was */
	double rate;             /* frames a second over all senders; 0: as fast as the ring takes them */
	double rates[LINKS_MAX]; /* frames a second of one sender; 0: it has its part of `rate` */
	uint64_t burst;          /* exactly so many frames over all senders, then none; 0: no such limit */
	bool stamp;
	int answers;             /* file: when nobody reads it any more the run ends */
	double drained;          /* result: seconds after that, in which nothing was sent */
	double busy;             /* result: share of the cycles of the window in rounds that moved something */
	double longest_round;    /* result: seconds; a long one tells that something else had the core */
};

void run_execute(struct run *run, struct links *links);

#endif
