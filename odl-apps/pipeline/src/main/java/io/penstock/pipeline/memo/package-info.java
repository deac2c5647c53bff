// SPDX-License-Identifier: Apache-2.0
/**
 * Remembers results of pure functions. Uses no other package of the pipeline.
 */
package io.penstock.pipeline.memo;
