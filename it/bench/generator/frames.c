/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_byteorder.h>
#include <rte_malloc.h>

#include "headers.h"
#include "latency.h"

#define MICROSECONDS 0xa1b2c3d4
#define NANOSECONDS 0xa1b23c4d
/* Ports of connections that begin while frames are sent: two thousand million pairs. Target ports of pcap files are
 * below. */
#define FIRST_SOURCE 10000
#define LAST_SOURCE 59999
#define FIRST_TARGET 20000
#define LAST_TARGET 65535
#define UDP_CHECKSUM 6   /* offset in the header, which begins with the ports */

struct pcap_file {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, limit, type;
};

struct pcap_frame {
	uint32_t seconds, fraction, kept, length;
};

/* The next frame of a pcap in memory, or NULL at its end and when there is something wrong (*problem says what). */
static const uint8_t *next_frame(const uint8_t *pcap, size_t size, size_t *at, uint32_t *length, const char **problem)
{
	struct pcap_frame head = { .kept = 0 };
	const size_t left = size - *at;
	if (!left)
		return NULL;
	if (left >= sizeof(head))
		memcpy(&head, pcap + *at, sizeof(head));
	if (left < sizeof(head) || head.kept != head.length || left - sizeof(head) < head.length) {
		*problem = "the pcap file or a frame in it is cut off";
		return NULL;
	}
	if (head.length < 14 || head.length > FRAME_MAX) {
		*problem = "a frame of the pcap file is shorter than 14 or longer than 1920 bytes";
		return NULL;
	}
	*length = head.length;
	*at += sizeof(head) + head.length;
	return pcap + *at - head.length;
}

static void add(struct frames *frames, const uint8_t *data, uint32_t length, uint32_t offset)
{
	struct frame *frame = &frames->list[frames->count++];
	*frame = (struct frame){ .offset = offset, .length = (uint16_t)length };
	memcpy(frames->bytes + offset, data, length);
	frames->total += length;
	const struct headers headers = headers_of(data, length);
	frame->ports = headers.ports;
	if (headers.stampable)
		frame->trailer_sum = sum16(data + length - TRAILER_BYTES);
	else
		frames->unstampable++;
}

static const char *parse(struct frames *frames, const uint8_t *pcap, size_t size)
{
	struct pcap_file head = { .magic = 0 };
	if (size >= sizeof(head))
		memcpy(&head, pcap, sizeof(head));
	if ((head.magic != MICROSECONDS && head.magic != NANOSECONDS) || head.type != 1)
		return "not a pcap file (classic, Ethernet, this machine's byte order)";
	const char *problem = NULL;
	const uint8_t *data;
	uint32_t length, count = 0, room = 0, offset = 0;
	for (size_t at = sizeof(head); (data = next_frame(pcap, size, &at, &length, &problem)); count++)
		room += RTE_CACHE_LINE_ROUNDUP(length);
	if (problem || !count)
		return problem ? problem : "the pcap file holds no frame";
	frames->list = rte_malloc("frames", count * sizeof(*frames->list), RTE_CACHE_LINE_SIZE);
	frames->bytes = rte_zmalloc("frame bytes", room, RTE_CACHE_LINE_SIZE);
	if (!frames->list || !frames->bytes)
		return "no memory for so many frames: give the generator more";
	for (size_t at = sizeof(head); (data = next_frame(pcap, size, &at, &length, &problem));) {
		add(frames, data, length, offset);
		offset += RTE_CACHE_LINE_ROUNDUP(length);
	}
	return NULL;
}

/* Has a function read a file. NULL, or why not. */
static const char *read_file(const char *path, struct frames *frames,
			     const char *(*read)(struct frames *frames, const uint8_t *data, size_t size))
{
	struct stat status;
	const char *problem = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &status) != 0)
		problem = strerror(errno);
	else if (!status.st_size)
		problem = "the file is empty";
	else {
		size_t size = (size_t)status.st_size;
		void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
		problem = data == MAP_FAILED ? strerror(errno) : read(frames, data, size);
		if (data != MAP_FAILED)
			munmap(data, size);
	}
	if (file >= 0)
		close(file);
	return problem;
}

const char *frames_load(struct frames *frames, const char *path)
{
	struct frames loaded = { .count = 0 };
	const char *problem = read_file(path, &loaded, parse);
	frames_release(problem ? &loaded : frames);
	if (!problem)
		*frames = loaded;
	return problem;
}

static const char *read_order(struct frames *frames, const uint8_t *data, size_t size)
{
	const size_t count = size / sizeof(*frames->order);
	if (size % sizeof(*frames->order) || count > UINT32_MAX)
		return "not a file of 32-bit indexes";
	uint32_t *order = rte_malloc("order", size, RTE_CACHE_LINE_SIZE);
	if (!order)
		return "no memory for such an order: give the generator more";
	uint64_t total = 0;
	memcpy(order, data, size);
	for (size_t i = 0; i < count; i++) {
		if (order[i] >= frames->count) {
			rte_free(order);
			return "an index in the order is not that of a frame";
		}
		total += frames->list[order[i]].length;
	}
	rte_free(frames->order);
	frames->order = order;
	frames->order_count = (uint32_t)count;
	frames->order_total = total;
	return NULL;
}

const char *frames_order(struct frames *frames, const char *path)
{
	if (path)
		return read_file(path, frames, read_order);
	rte_free(frames->order);
	frames->order = NULL;
	return NULL;
}

const char *frames_live(struct frames *frames, uint32_t life)
{
	if (life && frames->unstampable)
		return "live: the link has frames that are no UDP over IPv4 with 12 bytes of payload";
	if (!frames->next_source) {
		frames->next_source = FIRST_SOURCE;
		frames->next_target = FIRST_TARGET;
	}
	frames->life = life;
	for (uint32_t i = 0; i < frames->count; i++)
		frames->list[i].left = 1 + (uint32_t)((uint64_t)i * life / frames->count);
	return NULL;
}

/* The checksum after one of the words it covers has changed (RFC 1624, equation 3). */
static uint16_t adjusted(uint16_t checksum, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint16_t)~checksum + (uint32_t)(uint16_t)~before + after;
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~((sum & 0xffff) + (sum >> 16));
}

void frames_renew(struct frames *frames, struct frame *frame)
{
	uint8_t *at = frames->bytes + frame->offset + frame->ports;
	const uint16_t after[2] = { rte_cpu_to_be_16(frames->next_source), rte_cpu_to_be_16(frames->next_target) };
	uint16_t before[2], checksum;
	memcpy(before, at, sizeof(before));
	memcpy(&checksum, at + UDP_CHECKSUM, sizeof(checksum));
	if (checksum) {   /* 0: there is none */
		checksum = adjusted(adjusted(checksum, before[0], after[0]), before[1], after[1]);
		if (!checksum)
			checksum = UINT16_MAX;
		memcpy(at + UDP_CHECKSUM, &checksum, sizeof(checksum));
	}
	memcpy(at, after, sizeof(after));
	frame->left = frames->life;
	if (++frames->next_source > LAST_SOURCE) {
		frames->next_source = FIRST_SOURCE;
		frames->next_target = frames->next_target < LAST_TARGET ? frames->next_target + 1 : FIRST_TARGET;
	}
}

void frames_release(struct frames *frames)
{
	rte_free(frames->order);
	rte_free(frames->list);
	rte_free(frames->bytes);
	memset(frames, 0, sizeof(*frames));
}

uint64_t frames_bytes(const struct frames *frames, uint64_t sent)
{
	if (!frames->count)
		return 0;
	const uint32_t cycle = frames_cycle(frames);
	uint64_t bytes = sent / cycle * (frames->order ? frames->order_total : frames->total);
	for (uint32_t i = 0; i < sent % cycle; i++)
		bytes += frames->list[frames_at(frames, i)].length;
	return bytes;
}

const char *capture_begin(struct capture *capture, const char *path, uint32_t count)
{
	const struct pcap_file head = { NANOSECONDS, 2, 4, 0, 0, 65535, 1 };
	const size_t room = sizeof(head) + count * (sizeof(struct pcap_frame) + FRAME_MAX);
	capture_end(capture);
	capture->file = fopen(path, "wbe");
	if (!capture->file)
		return strerror(errno);
	capture->buffer = malloc(room);
	if (!capture->buffer) {
		capture_end(capture);
		return "no memory for such a capture";
	}
	memset(capture->buffer, 0, room);   /* so that the run meets no page fault */
	setvbuf(capture->file, capture->buffer, _IOFBF, room);
	fwrite(&head, sizeof(head), 1, capture->file);
	capture->left = count;
	return NULL;
}

void capture_add(struct capture *capture, const void *data, uint32_t length, uint64_t nanoseconds)
{
	length = RTE_MIN(length, (uint32_t)FRAME_MAX);
	const struct pcap_frame head = { (uint32_t)(nanoseconds / 1000000000), (uint32_t)(nanoseconds % 1000000000),
		length, length };
	fwrite(&head, sizeof(head), 1, capture->file);
	fwrite(data, length, 1, capture->file);
	capture->left--;
	capture->count++;
}

const char *capture_end(struct capture *capture)
{
	bool failed = capture->file && ferror(capture->file);
	if (capture->file && fclose(capture->file) != 0)
		failed = true;
	free(capture->buffer);
	memset(capture, 0, sizeof(*capture));
	return failed ? "the captured frames could not be written" : NULL;
}
