// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import javax.servlet.ReadListener;
import javax.servlet.ServletInputStream;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;

/** A request whose body has been read already. */
final class StoredRequest extends HttpServletRequestWrapper {
    private final Stream stream;

    StoredRequest(final HttpServletRequest request, final byte[] body) {
        super(request);
        stream = new Stream(body);
    }

    @Override
    public ServletInputStream getInputStream() {
        return stream;
    }

    @Override
    public BufferedReader getReader() {
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    private static final class Stream extends ServletInputStream {
        private final ByteArrayInputStream bytes;

        Stream(final byte[] body) {
            bytes = new ByteArrayInputStream(body);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(final byte[] buffer, final int offset, final int length) {
            return bytes.read(buffer, offset, length);
        }

        @Override
        public int available() {
            return bytes.available();
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(final ReadListener listener) {
            throw new IllegalStateException("the body is here already");
        }
    }
}
