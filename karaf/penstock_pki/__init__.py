# SPDX-License-Identifier: Apache-2.0
"""The certificate authority of a network: certificates of controller members and of nodes, and what is revoked.

    names.py         who a certificate is for, and how it says so
    certificates.py  makes and reads X.509; no files
    authority.py     the directory of an authority: what it has issued, in which order files are replaced
    inspection.py    whether the files of a machine are good, and for how long
    cli.py           the command line

docs/trust.md tells operators what to do with them.
"""
