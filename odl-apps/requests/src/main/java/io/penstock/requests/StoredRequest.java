// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.servlet.ReadListener;
import javax.servlet.ServletInputStream;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;

/** A request whose body has been read already, or replaced. */
final class StoredRequest extends HttpServletRequestWrapper {
    /** Attribute with the body, for who judges it later. The same as BODY in AccessFilter.java of the module access. */
    static final String BODY = "io.penstock.body";

    private static final String TYPE = "Content-Type";
    private static final String LENGTH = "Content-Length";

    private final Stream stream;
    /** What these headers are instead of those that were sent. */
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    StoredRequest(final HttpServletRequest request, final byte[] body) {
        super(request);
        request.setAttribute(BODY, body);
        stream = new Stream(body);
    }

    /** A request with another body. */
    StoredRequest(final HttpServletRequest request, final byte[] body, final String type) {
        this(request, body);
        headers.put(TYPE, type);
        headers.put(LENGTH, Integer.toString(body.length));
    }

    @Override
    public String getContentType() {
        return getHeader(TYPE);
    }

    @Override
    public int getContentLength() {
        return headers.containsKey(LENGTH) ? Integer.parseInt(headers.get(LENGTH)) : super.getContentLength();
    }

    @Override
    public long getContentLengthLong() {
        return headers.containsKey(LENGTH) ? Long.parseLong(headers.get(LENGTH)) : super.getContentLengthLong();
    }

    @Override
    public String getHeader(final String name) {
        return headers.containsKey(name) ? headers.get(name) : super.getHeader(name);
    }

    @Override
    public Enumeration<String> getHeaders(final String name) {
        return headers.containsKey(name) ? Collections.enumeration(List.of(headers.get(name)))
            : super.getHeaders(name);
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
