/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "headers.h"
#include "latency.h"

#define MICROSECONDS 0xa1b2c3d4
#define NANOSECONDS 0xa1b23c4d

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
	if (headers_of(data, length).stampable)
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

const char *frames_load(struct frames *frames, const char *path)
{
	struct frames loaded = { .count = 0 };
	struct stat status;
	const char *problem = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &status) != 0)
		problem = strerror(errno);
	else if (!status.st_size)
		problem = "not a pcap file, but an empty one";
	else {
		size_t size = (size_t)status.st_size;
		void *pcap = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
		problem = pcap == MAP_FAILED ? strerror(errno) : parse(&loaded, pcap, size);
		if (pcap != MAP_FAILED)
			munmap(pcap, size);
	}
	if (file >= 0)
		close(file);
	frames_release(problem ? &loaded : frames);
	if (!problem)
		*frames = loaded;
	return problem;
}

void frames_release(struct frames *frames)
{
	rte_free(frames->list);
	rte_free(frames->bytes);
	memset(frames, 0, sizeof(*frames));
}

uint64_t frames_bytes(const struct frames *frames, uint64_t sent)
{
	if (!frames->count)
		return 0;
	uint64_t bytes = sent / frames->count * frames->total;
	for (uint32_t i = 0; i < sent % frames->count; i++)
		bytes += frames->list[i].length;
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
