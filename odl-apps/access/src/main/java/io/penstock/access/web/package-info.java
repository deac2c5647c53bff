// SPDX-License-Identifier: Apache-2.0
/** The gate of OpenDaylight's web server: login, decision and audit log for each request to each servlet. */
package io.penstock.access.web;
