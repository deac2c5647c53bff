# SPDX-License-Identifier: Apache-2.0
"""The launcher behind ./penstock: one command for everything, on one machine.

It knows no details of its own about switches, functions and the controller: those are in penstock_node,
penstock_functions and penstock_controller. The benchmark is a program of its own, which it starts.
"""
