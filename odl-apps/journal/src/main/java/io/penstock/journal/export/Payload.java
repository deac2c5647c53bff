// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import java.nio.ByteBuffer;

/**
 * A message, ready to be sent.
 *
 * @param records that are in it
 */
record Payload(ByteBuffer bytes, int records) { }
