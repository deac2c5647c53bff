// SPDX-License-Identifier: Apache-2.0
/** New versions of network functions: measured beside the old ones, and judged. */
package io.penstock.functions.canary;
