// SPDX-License-Identifier: Apache-2.0
/** Who sends a request: accounts, passwords, and how often a wrong one may be tried. */
package io.penstock.access.login;
