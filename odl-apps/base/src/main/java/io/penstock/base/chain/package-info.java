// SPDX-License-Identifier: Apache-2.0
/** Journals whose lines are chained by hashes: what is changed or taken out shows. */
package io.penstock.base.chain;
