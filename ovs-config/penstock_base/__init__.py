# SPDX-License-Identifier: Apache-2.0
"""What all other packages use: errors for people, progress, commands, processes, namespaces, files, locks, documents.

It knows nothing of nodes, functions, the controller or the benchmark.
"""
