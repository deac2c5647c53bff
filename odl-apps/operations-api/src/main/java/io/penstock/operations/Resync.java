// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/** What a resync changed on one node. */
public record Resync(String node, int added, int removed) { }
