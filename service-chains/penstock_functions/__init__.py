# SPDX-License-Identifier: Apache-2.0
"""The catalogue of network functions, and the runner that starts them beside a node.

`catalogue` reads and checks descriptions, `instance` starts and stops. The building blocks (processes, huge pages,
namespaces) are those of `penstock_node`, which must be on the Python path.
"""
