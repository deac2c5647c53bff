/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the standard input, one a line, each answered by one line with a JSON object; {"error": "..."} says
 * why it was refused and that nothing has changed.
 *
 *   load LINK FILE        what LINK sends from now on: the frames of a pcap file, in order, for ever
 *   order LINK FILE|off   in which order LINK sends these frames: a file of 32-bit indexes, again and again
 *   live LINK N|off       connections of LINK live for N packets: after so many packets a frame has UDP ports that none had
 *                         before. So a connection begins with its first packet, and nothing marks its end. Runs go on with
 *                         the ports of the run before; load ends this and the order
 *   wait SECONDS          waits until a switch has connected to every link; says which are up
 *   run SECONDS LINK[@PPS][,LINK[@PPS]..] [rate=PPS] [burst=N] [stamp]
 *                         sends on these links, each from its first frame on, and receives on all; then receives until
 *                         nothing comes any more. Without rate as fast as the switch takes the frames; rate is for all
 *                         links together, one behind @ for that link alone; burst ends the sending after N frames; stamp measures latency
 *   capture LINK FILE N   writes the first N frames that LINK receives during the next run to a pcap file
 *   answer LINK on|off    during runs LINK sends back what it receives, addresses and ports swapped
 *   forward LINK LINK|off during runs what one of the two receives goes out of the other, unchanged: a network function
 *                         that does nothing. Such frames are on their way still, so they are forwarded, not received:
 *                         no rx, no latency. A link that forwards does not send on its own, and does not answer
 *   quit                  as does the end of the input
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdio.h>

#include "links.h"

/* Obeys until the end of the input or "quit". */
void commands_obey(struct links *links, FILE *input, FILE *output);

#endif
