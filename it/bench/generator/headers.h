/* SPDX-License-Identifier: Apache-2.0 */
/* Where the headers of a frame are, and its answer. */
#ifndef HEADERS_H
#define HEADERS_H

#include <stdbool.h>
#include <stdint.h>

struct headers {
	uint8_t ip;          /* offset of the IPv4 header, 0 if there is none */
	uint8_t ports;       /* offset of the TCP or UDP ports, 0 if there are none (also in later fragments) */
	bool stampable;      /* UDP whose payload ends with the frame and has room for a stamp */
};

struct headers headers_of(const uint8_t *frame, uint32_t length);

/* Turns a frame into its answer: MACs, IPv4 addresses and ports swapped. Sums over both are as they were, so all
 * checksums stay valid. False if the frame is not IPv4. */
bool headers_swap(uint8_t *frame, uint32_t length);

#endif
