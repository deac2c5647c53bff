// SPDX-License-Identifier: Apache-2.0
/** The configuration datastore: reading it into a snapshot, refusing bad changes, storing what was handed out. */
package io.penstock.configuration;
