# SPDX-License-Identifier: Apache-2.0
"""What all other packages use: errors for people, progress, commands, processes, namespaces, files, locks, documents,
places, Debian packages, RESTCONF. It knows no node, no function and no controller.
"""
