// SPDX-License-Identifier: Apache-2.0
/** What is refused of a request before RESTCONF reads it. */
package io.penstock.requests;
