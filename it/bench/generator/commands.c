/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "run.h"

#define WORDS_MAX 16
#define CAPTURE_LIMIT 100000
#define POLL_MICROSECONDS 10000

struct words {
	char *list[WORDS_MAX];
	int count;
};

typedef const char *command(struct links *links, const struct words *words, FILE *output);

static void put_string(FILE *output, const char *text)
{
	putc('"', output);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(output, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(output, "\\u%04x", *text);
		else
			putc(*text, output);
	}
	putc('"', output);
}

/* A number of at least `least`; false if the text is anything else. */
static bool number(const char *text, double least, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end != text && !*end && *value >= least && *value <= 1e12;
}

static struct link *find(struct links *links, const char *name)
{
	return links_find(links, name, strlen(name));
}

static const char *load(struct links *links, const struct words *words, FILE *output)
{
	struct link *link = words->count == 3 ? find(links, words->list[1]) : NULL;
	if (!link)
		return "use: load LINK FILE";
	const char *problem = frames_load(&link->frames, words->list[2]);
	if (!problem)
		fprintf(output, "{\"frames\": %u, \"bytes\": %lu}", link->frames.count, link->frames.total);
	return problem;
}

static const char *order(struct links *links, const struct words *words, FILE *output)
{
	struct link *link = words->count == 3 ? find(links, words->list[1]) : NULL;
	if (!link || !link->frames.count)
		return "use: order LINK FILE|off, of a link that has frames";
	const char *problem = frames_order(&link->frames,
					   strcmp(words->list[2], "off") == 0 ? NULL : words->list[2]);
	if (!problem)
		fprintf(output, "{\"order\": %u}", frames_cycle(&link->frames));
	return problem;
}

static const char *live(struct links *links, const struct words *words, FILE *output)
{
	struct link *link = words->count == 3 ? find(links, words->list[1]) : NULL;
	double life = 0;
	if (!link || !link->frames.count || (strcmp(words->list[2], "off") != 0 &&
					     (!number(words->list[2], 1, &life) || life > INT32_MAX)))
		return "use: live LINK PACKETS|off, of a link that has frames";
	const char *problem = frames_live(&link->frames, (uint32_t)life);
	if (!problem)
		fprintf(output, "{\"life\": %u}", (uint32_t)life);
	return problem;
}

static const char *wait_up(struct links *links, const struct words *words, FILE *output)
{
	double seconds;
	if (words->count != 2 || !number(words->list[1], 0, &seconds))
		return "use: wait SECONDS";
	int up;
	for (;;) {
		up = 0;
		for (int i = 0; i < links->count; i++)
			up += link_is_up(&links->list[i]);
		if (up == links->count || seconds <= 0)
			break;
		usleep(POLL_MICROSECONDS);
		seconds -= POLL_MICROSECONDS / 1e6;
	}
	fprintf(output, "{\"up\": [");
	for (int i = 0, first = 1; i < links->count; i++) {
		if (!link_is_up(&links->list[i]))
			continue;
		fputs(first ? "" : ", ", output);
		put_string(output, links->list[i].name);
		first = 0;
	}
	fprintf(output, "]}");
	return NULL;
}

static const char *answer(struct links *links, const struct words *words, FILE *output)
{
	struct link *link = words->count == 3 ? find(links, words->list[1]) : NULL;
	bool on = link && strcmp(words->list[2], "on") == 0;
	if (!link || (!on && strcmp(words->list[2], "off") != 0))
		return "use: answer LINK on|off";
	link->answers = on;
	fprintf(output, "{\"answers\": %s}", on ? "true" : "false");
	return NULL;
}

/* Takes a link out of its pair. */
static void part(struct link *link)
{
	if (link->forwards_to)
		link->forwards_to->forwards_to = NULL;
	link->forwards_to = NULL;
}

static const char *forward(struct links *links, const struct words *words, FILE *output)
{
	struct link *first = words->count == 3 ? find(links, words->list[1]) : NULL;
	struct link *second = first ? find(links, words->list[2]) : NULL;
	if (!first || second == first || (!second && strcmp(words->list[2], "off") != 0))
		return "use: forward LINK LINK|off";
	part(first);
	if (second) {
		part(second);
		first->forwards_to = second;
		second->forwards_to = first;
	}
	fprintf(output, "{\"forwards\": %s}", second ? "true" : "false");
	return NULL;
}

static const char *capture(struct links *links, const struct words *words, FILE *output)
{
	struct link *link = words->count == 4 ? find(links, words->list[1]) : NULL;
	double count;
	if (!link || !number(words->list[3], 1, &count) || count > CAPTURE_LIMIT)
		return "use: capture LINK FILE COUNT, COUNT at most 100000";
	fprintf(output, "{\"capture\": %u}", (uint32_t)count);
	return capture_begin(&link->capture, words->list[2], (uint32_t)count);
}

static const char *parse_senders(struct run *run, struct links *links, const char *names)
{
	for (const char *name = names;;) {
		size_t length = strcspn(name, ",@");
		struct link *link = links_find(links, name, length);
		if (!link)
			return "no such link";
		if (!link->frames.count)
			return "a link has nothing to send: load it first";
		if (link->forwards_to)
			return "a link that forwards does not send on its own";
		for (int i = 0; i < run->sender_count; i++)
			if (run->senders[i] == link)
				return "a link is named twice";
		run->senders[run->sender_count] = link;
		name += length;
		if (*name == '@') {
			char *end;
			double rate = strtod(name + 1, &end);
			if (end == name + 1 || rate < 0.001 || rate > 1e12)
				return "a rate of a link is a number above 0";
			run->rates[run->sender_count] = rate;
			name = end;
		}
		run->sender_count++;
		if (!*name)
			return NULL;
		if (*name++ != ',')
			return "links are parted by commas";
	}
}

static const char *parse_run(struct run *run, struct links *links, const struct words *words)
{
	static const char use[] = "use: run SECONDS LINK[@PPS][,LINK[@PPS]..] [rate=PPS] [burst=N] [stamp]";
	if (words->count < 3 || !number(words->list[1], 0.001, &run->seconds))
		return use;
	const char *problem = parse_senders(run, links, words->list[2]);
	for (int i = 3; i < words->count && !problem; i++) {
		const char *word = words->list[i];
		double value;
		if (strcmp(word, "stamp") == 0)
			run->stamp = true;
		else if (strncmp(word, "rate=", 5) == 0 && number(word + 5, 0.001, &value))
			run->rate = value;
		else if (strncmp(word, "burst=", 6) == 0 && number(word + 6, 1, &value))
			run->burst = (uint64_t)value;
		else
			problem = use;
	}
	for (int i = 0; i < run->sender_count && run->rate > 0 && !problem; i++)
		if (run->rates[i] > 0)
			problem = "rate is for all links together: none has one of its own then";
	for (int i = 0; i < run->sender_count && run->stamp && !problem; i++)
		if (run->senders[i]->frames.unstampable)
			problem = "stamp: a link has frames that are no UDP over IPv4 with 12 bytes of payload";
	for (int i = 0; i < links->count && !problem; i++)
		if (!link_is_up(&links->list[i]))
			problem = "no peer is connected to a link: wait first";
	return problem;
}

static void put_latency(FILE *output, const struct latency *latency)
{
	static const struct { const char *name; double share; } quantiles[] = {
		{ "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
	const double nanosecond = 1e9 / (double)rte_get_tsc_hz();
	fprintf(output, "{\"count\": %lu", latency->count);
	if (latency->count) {
		fprintf(output, ", \"min\": %.0f", (double)latency->min * nanosecond);
		for (unsigned int i = 0; i < RTE_DIM(quantiles); i++)
			fprintf(output, ", \"%s\": %.0f", quantiles[i].name,
				(double)latency_quantile(latency, quantiles[i].share) * nanosecond);
		fprintf(output, ", \"max\": %.0f, \"mean\": %.1f", (double)latency->max * nanosecond,
			(double)latency->sum / (double)latency->count * nanosecond);
	}
	putc('}', output);
}

static const char *put_link(FILE *output, struct link *link)
{
	const struct counters *counters = &link->counters;
	put_string(output, link->name);
	fprintf(output, ": {\"tx\": %lu, \"tx_bytes\": %lu, \"rx\": %lu, \"rx_bytes\": %lu, \"rx_window\": %lu, "
		"\"full\": %lu, \"late\": %lu, \"refused\": %lu, \"answered\": %lu, \"unanswered\": %lu, "
		"\"forwarded\": %lu, \"unforwarded\": %lu, \"captured\": %u}", counters->tx,
		frames_bytes(&link->frames, counters->tx), counters->rx, counters->rx_bytes, counters->rx_window,
		counters->full, counters->late, counters->refused, counters->answered, counters->unanswered,
		counters->forwarded, counters->unforwarded, link->capture.count);
	return capture_end(&link->capture);
}

static const char *run(struct links *links, const struct words *words, FILE *output)
{
	struct run run = { .answers = links->answers };
	const char *problem = parse_run(&run, links, words);
	if (problem)
		return problem;
	run_execute(&run, links);
	fprintf(output, "{\"seconds\": %.6f, \"drained\": %.6f, \"busy\": %.4f, \"longest_round_us\": %.1f, "
		"\"links\": {", run.seconds, run.drained, run.busy, run.longest_round * 1e6);
	for (int i = 0; i < links->count; i++) {
		fputs(i ? ", " : "", output);
		const char *one = put_link(output, &links->list[i]);
		problem = one ? one : problem;
	}
	fputs(run.stamp ? "}, \"latency_ns\": {" : "}", output);
	for (int i = 0; i < links->count && run.stamp; i++) {
		fputs(i ? ", " : "", output);
		put_string(output, links->list[i].name);
		fputs(": ", output);
		put_latency(output, &links->list[i].latency);
	}
	fputs(run.stamp ? "}}" : "}", output);
	return problem;
}

static const struct { const char *name; command *obey; } commands[] = {
	{ "load", load }, { "order", order }, { "live", live }, { "wait", wait_up }, { "answer", answer },
	{ "forward", forward }, { "capture", capture }, { "run", run } };

static const char *obey(struct links *links, const struct words *words, FILE *output)
{
	for (unsigned int i = 0; i < RTE_DIM(commands); i++)
		if (strcmp(words->list[0], commands[i].name) == 0)
			return commands[i].obey(links, words, output);
	return "no such command: load, order, live, wait, answer, forward, capture, run, quit";
}

void commands_obey(struct links *links, FILE *input, FILE *output)
{
	links->answers = fileno(output);
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, input) > 0) {
		struct words words = { .count = 0 };
		char *rest = line, *word;
		while (words.count < WORDS_MAX && (word = strtok_r(rest, " \t\r\n", &rest)))
			words.list[words.count++] = word;
		if (!words.count)
			continue;
		if (strcmp(words.list[0], "quit") == 0)
			break;
		/* An answer is written to memory first: one that turns out to be an error leaves nothing half said. */
		char *answer = NULL;
		size_t size = 0;
		FILE *memory = open_memstream(&answer, &size);
		const char *problem = memory ? obey(links, &words, memory) : "no memory";
		if (memory)
			fclose(memory);
		if (problem) {
			fprintf(output, "{\"error\": ");
			put_string(output, problem);
			fprintf(output, "}");
		} else {
			fputs(answer, output);
		}
		free(answer);
		putc('\n', output);
		fflush(output);
	}
	free(line);
}
