/* SPDX-License-Identifier: Apache-2.0 */
#include "headers.h"

#include <string.h>

#include "latency.h"

#define TCP 6
#define UDP 17

static uint16_t word(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

struct headers headers_of(const uint8_t *frame, uint32_t length)
{
	struct headers headers = { 0 };
	uint32_t type = 12;
	for (int tags = 0; tags < 2 && type + 6 <= length && (word(frame + type) == 0x8100 ||
	     word(frame + type) == 0x88a8); tags++)
		type += 4;
	uint32_t ip = type + 2;
	if (ip + 20 > length || word(frame + type) != 0x0800 || frame[ip] >> 4 != 4)
		return headers;
	headers.ip = (uint8_t)ip;
	uint32_t l4 = ip + (frame[ip] & 15) * 4u;
	uint8_t protocol = frame[ip + 9];
	uint16_t fragment = word(frame + ip + 6) & 0x3fff;
	if ((protocol != TCP && protocol != UDP) || fragment & 0x1fff || l4 + 8 > length)
		return headers;
	headers.ports = (uint8_t)l4;
	headers.stampable = protocol == UDP && !fragment && ip + word(frame + ip + 2) == length &&
		l4 + word(frame + l4 + 4) == length && l4 + 8 + TRAILER_BYTES <= length;
	return headers;
}

static void swap(uint8_t *a, uint8_t *b, size_t size)
{
	uint8_t kept[6];
	memcpy(kept, a, size);
	memcpy(a, b, size);
	memcpy(b, kept, size);
}

bool headers_swap(uint8_t *frame, uint32_t length)
{
	struct headers headers = headers_of(frame, length);
	if (!headers.ip)
		return false;
	swap(frame, frame + 6, 6);
	swap(frame + headers.ip + 12, frame + headers.ip + 16, 4);
	if (headers.ports)
		swap(frame + headers.ports, frame + headers.ports + 2, 2);
	return true;
}
