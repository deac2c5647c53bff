/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <poll.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memcpy.h>
#include <rte_prefetch.h>

#include "headers.h"
#include "pace.h"

#define QUIET_SECONDS 0.05   /* the drain ends when nothing has come for so long */
#define DRAIN_SECONDS 1.0    /* or after this: links that answer each other, and loops, never fall silent */
#define FLUSH_FRAMES 8192    /* more than every ring can hold */
#define AHEAD 8              /* templates to ask the memory for before they are needed */

struct state {
	struct run *run;
	struct links *links;
	uint64_t start;
	double hertz;            /* of the time stamp counter */
	uint16_t number;         /* tells the stamps of this run from older ones */
	struct pace paces[LINKS_MAX];
};

/* Makes copies of the next templates until `wanted` are waiting. */
static void make(struct link *link, uint16_t wanted)
{
	struct frames *frames = &link->frames;
	const uint32_t cycle = frames_cycle(frames);
	struct rte_mbuf **made = link->waiting + link->waiting_count;
	if (link->waiting_count >= wanted ||
	    rte_pktmbuf_alloc_bulk(link->send_pool, made, wanted - link->waiting_count) != 0)
		return;
	uint32_t next = link->next_frame;
	for (; link->waiting_count < wanted; link->waiting_count++, made++) {
		struct frame *frame = &frames->list[frames_at(frames, next)];
		uint8_t *to = rte_pktmbuf_mtod(*made, uint8_t *);
		const uint8_t *from = frames->bytes + frame->offset;
		/* Templates are padded to whole cache lines, so nothing depends on the exact length. */
		for (uint32_t at = 0; at < frame->length; at += RTE_CACHE_LINE_SIZE)
			rte_mov64(to + at, from + at);
		(*made)->data_len = frame->length;
		(*made)->pkt_len = frame->length;
		if (frames->life && --frame->left == 0)
			frames_renew(frames, frame);
		next = next + 1 < cycle ? next + 1 : 0;
		/* In an order neighbours are anywhere in memory: first what says where a frame is, then the frame. */
		if (frames->order)
			rte_prefetch0(&frames->list[frames->order[next + 2 * AHEAD < cycle ? next + 2 * AHEAD : 0]]);
		uint32_t ahead = next + AHEAD < cycle ? next + AHEAD : 0;
		rte_prefetch0(frames->bytes + frames->list[frames_at(frames, ahead)].offset);
	}
	link->next_frame = next;
}

/* Stamps what is about to be offered to the ring, also what it refused before: waiting here is not the switch's. */
static void stamp_waiting(struct link *link, uint16_t run)
{
	const uint32_t cycle = frames_cycle(&link->frames);
	uint32_t place = (link->next_frame + cycle - link->waiting_count % cycle) % cycle;
	const uint64_t now = rte_rdtsc();
	for (uint16_t i = 0; i < link->waiting_count; i++) {
		struct rte_mbuf *packet = link->waiting[i];
		stamp(rte_pktmbuf_mtod_offset(packet, uint8_t *, packet->data_len),
		      link->frames.list[frames_at(&link->frames, place)].trailer_sum, run, now);
		place = place + 1 < cycle ? place + 1 : 0;
	}
}

static uint16_t send_some(struct state *state, struct link *link, struct pace *pace, uint64_t now)
{
	uint32_t wanted = BURST;
	if (pace->period > 0) {
		uint64_t late = link->counters.late;
		wanted = pace_due(pace, now - state->start, BURST, &link->counters.late);
		/* With frames waiting it was the ring that had no room; else something had our core. */
		if (link->waiting_count)
			link->counters.refused += link->counters.late - late;
	}
	wanted = (uint32_t)RTE_MIN(wanted, link->left);
	if (!wanted)
		return 0;
	make(link, (uint16_t)wanted);
	if (state->run->stamp)
		stamp_waiting(link, state->number);
	uint16_t offered = (uint16_t)RTE_MIN(wanted, link->waiting_count);
	uint16_t sent = rte_eth_tx_burst(link->port, 0, link->waiting, offered);
	link->waiting_count -= sent;
	memmove(link->waiting, link->waiting + sent, link->waiting_count * sizeof(*link->waiting));
	link->left -= sent;
	link->counters.tx += sent;
	link->counters.full += sent < wanted;
	pace_sent(pace, sent);
	return sent;
}

static void answer(struct link *link, struct rte_mbuf **packets, uint16_t count)
{
	struct rte_mbuf *answers[BURST];
	uint16_t made = 0;
	for (uint16_t i = 0; i < count; i++) {
		if (packets[i]->nb_segs == 1 && headers_swap(rte_pktmbuf_mtod(packets[i], uint8_t *),
							     packets[i]->data_len))
			answers[made++] = packets[i];
		else
			rte_pktmbuf_free(packets[i]);
	}
	uint16_t sent = made ? rte_eth_tx_burst(link->port, 0, answers, made) : 0;
	link->counters.answered += sent;
	link->counters.unanswered += count - sent;
	if (sent < made)
		rte_pktmbuf_free_bulk(answers + sent, made - sent);
}

static void capture_some(struct state *state, struct link *link, struct rte_mbuf **packets, uint16_t count)
{
	double nanoseconds = (double)(rte_rdtsc() - state->start) / state->hertz * 1e9;
	for (uint16_t i = 0; i < count && link->capture.left; i++)
		capture_add(&link->capture, rte_pktmbuf_mtod(packets[i], void *), packets[i]->data_len,
			    (uint64_t)nanoseconds);
}

static uint16_t receive_some(struct state *state, struct link *link)
{
	struct rte_mbuf *packets[BURST];
	uint16_t count = rte_eth_rx_burst(link->port, 0, packets, BURST);
	if (!count)
		return 0;
	uint64_t bytes = 0;
	if (state->run->stamp) {
		uint64_t now = rte_rdtsc();
		for (uint16_t i = 0; i < count; i++)
			rte_prefetch0(rte_pktmbuf_mtod_offset(packets[i], void *, packets[i]->data_len - 1));
		for (uint16_t i = 0; i < count; i++)
			latency_read(&link->latency,
				     rte_pktmbuf_mtod_offset(packets[i], uint8_t *, packets[i]->data_len),
				     state->number, now);
	}
	for (uint16_t i = 0; i < count; i++)
		bytes += packets[i]->pkt_len;
	link->counters.rx += count;
	link->counters.rx_bytes += bytes;
	if (link->capture.left)
		capture_some(state, link, packets, count);
	if (link->answers)
		answer(link, packets, count);
	else
		rte_pktmbuf_free_bulk(packets, count);
	return count;
}

/* Hands on what `link` receives. What the other's ring does not take waits, and nothing more is taken in meanwhile: the
 * switch's ring towards us has more room than we have, and what is lost when that is full is lost by the switch. */
static uint16_t forward_some(struct state *state, struct link *link)
{
	struct link *other = link->forwards_to;
	uint16_t count = 0;
	if (!other->waiting_count) {
		count = rte_eth_rx_burst(link->port, 0, other->waiting, BURST);
		other->waiting_count = count;
		if (link->capture.left)
			capture_some(state, link, other->waiting, count);
	}
	if (!other->waiting_count)
		return 0;
	uint16_t sent = rte_eth_tx_burst(other->port, 0, other->waiting, other->waiting_count);
	other->counters.full += sent < other->waiting_count;
	other->waiting_count -= sent;
	memmove(other->waiting, other->waiting + sent, other->waiting_count * sizeof(*other->waiting));
	link->counters.forwarded += sent;
	return count + sent;
}

static uint16_t take_some(struct state *state, struct link *link)
{
	return link->forwards_to ? forward_some(state, link) : receive_some(state, link);
}

/* Throws away what came in since the last run. */
static void flush(struct links *links)
{
	struct rte_mbuf *packets[BURST];
	for (int i = 0; i < links->count; i++) {
		uint16_t count;
		for (uint32_t all = 0; all < FLUSH_FRAMES; all += count) {
			count = rte_eth_rx_burst(links->list[i].port, 0, packets, BURST);
			if (!count)
				break;
			rte_pktmbuf_free_bulk(packets, count);
		}
	}
}

static void prepare(struct state *state)
{
	struct run *run = state->run;
	for (int i = 0; i < state->links->count; i++) {
		struct link *link = &state->links->list[i];
		memset(&link->counters, 0, sizeof(link->counters));
		latency_clear(&link->latency);
		link->next_frame = 0;
	}
	uint64_t burst_left = run->burst;
	for (int i = 0; i < run->sender_count; i++) {
		struct link *link = run->senders[i];
		/* The first ones take what does not divide. */
		uint64_t others = (uint64_t)(run->sender_count - i) - 1;
		uint64_t share = (burst_left + others) / (others + 1);
		burst_left -= share;
		link->left = run->burst ? share : UINT64_MAX;
		if (run->rates[i] > 0) {
			state->paces[i] = (struct pace){ state->hertz / run->rates[i], 0 };
		} else if (run->rate > 0) {
			double period = state->hertz / run->rate;
			/* Senders take turns. */
			state->paces[i] = (struct pace){ period * run->sender_count, period * i };
		}
	}
	flush(state->links);
}

/* Whether nobody reads our answers any more. (The end of the input says less: commands may have come in one go.) */
static bool client_has_gone(const struct run *run)
{
	struct pollfd output = { .fd = run->answers };
	return poll(&output, 1, 0) > 0 && output.revents & POLLERR;
}

/* Sends or gives up what came due in the last round: something else may have had our core until the end. */
static void send_last(struct state *state, uint64_t end)
{
	for (int i = 0; i < state->run->sender_count; i++) {
		struct link *link = state->run->senders[i];
		struct pace *pace = &state->paces[i];
		uint64_t refused = 0;
		if (pace->period <= 0)
			continue;
		send_some(state, link, pace, end - 1);
		pace_due(pace, end - 1 - state->start, 0, &refused);
		if (!state->run->burst) {
			link->counters.late += refused;
			link->counters.refused += refused;
		}
	}
}

/* Goes round until the run's time is over. */
static void send_and_receive(struct state *state, uint64_t *busy, uint64_t *longest)
{
	const struct run *run = state->run;
	struct links *links = state->links;
	const uint64_t end = state->start + (uint64_t)(run->seconds * state->hertz);
	const uint64_t check_every = (uint64_t)(state->hertz / 10);
	uint64_t now = state->start, check = now + check_every;
	while (now < end) {
		uint32_t moved = 0;
		for (int i = 0; i < links->count; i++)
			moved += take_some(state, &links->list[i]);
		for (int i = 0; i < run->sender_count; i++)
			moved += send_some(state, run->senders[i], &state->paces[i], now);
		uint64_t then = now;
		now = rte_rdtsc();
		if (moved)
			*busy += now - then;
		if (now - then > *longest)
			*longest = now - then;
		if (unlikely(now > check)) {
			check = now + check_every;
			if (client_has_gone(run))
				return;
		}
	}
	send_last(state, end);
}

/* Receives what is still on its way. A fixed time would be too short when something else has the switch's core.
 * Returns how many cycles that took. */
static double drain(struct state *state)
{
	const uint64_t start = rte_rdtsc();
	uint64_t now = start;
	uint64_t quiet = now + (uint64_t)(QUIET_SECONDS * state->hertz);
	const uint64_t end = now + (uint64_t)(DRAIN_SECONDS * state->hertz);
	while (now < quiet && now < end) {
		uint32_t moved = 0;
		for (int i = 0; i < state->links->count; i++)
			moved += take_some(state, &state->links->list[i]);
		now = rte_rdtsc();
		if (moved)
			quiet = now + (uint64_t)(QUIET_SECONDS * state->hertz);
	}
	return (double)(now - start);
}

void run_execute(struct run *run, struct links *links)
{
	static uint16_t runs;
	struct state state = { .run = run, .links = links, .number = ++runs, .hertz = (double)rte_get_tsc_hz() };
	uint64_t busy = 0, longest = 0;
	prepare(&state);
	state.start = rte_rdtsc();
	send_and_receive(&state, &busy, &longest);
	const double cycles = (double)(rte_rdtsc() - state.start);
	for (int i = 0; i < links->count; i++)
		links->list[i].counters.rx_window = links->list[i].counters.rx;
	const double drained = drain(&state);
	for (int i = 0; i < links->count; i++) {
		struct link *link = &links->list[i];
		if (link->forwards_to)
			link->forwards_to->counters.unforwarded += link->waiting_count;
		rte_pktmbuf_free_bulk(link->waiting, link->waiting_count);
		link->waiting_count = 0;
	}
	run->seconds = cycles / state.hertz;
	run->busy = (double)busy / cycles;
	run->longest_round = (double)longest / state.hertz;
	run->drained = drained / state.hertz;
}
