// SPDX-License-Identifier: Apache-2.0
/**
 * How things are handed out that must be stored before they are used: proposed by grantors, stored by the engine, and
 * only then told to switches and hosts. Knows no grantor.
 */
package io.penstock.configuration.grant;
