using System.Net;

namespace Poolhouse.Http.Internal;

/// <summary>
/// The content of a response, which ends a hold when the body was read to its end, failed, or was disposed; or is garbage.
/// </summary>
// Invariants
//   the hold is taken out by one exchange, so it ends exactly once, by the first of a reader, Dispose and the finalizer
//   a stream that was handed out refers to this content, so it is not garbage while a caller may still read
//   once a stream is handed out, a failed copy of the content does not end the hold: the stream has the body
// Order of writes
//   the body is ended before the hold: the next request finds the connection free
internal sealed class HeldContent : HttpContent
{
    private readonly HttpContent _inner;
    private Permit? _hold;
    private volatile bool _hasStream;

    private HeldContent(HttpContent inner) => _inner = inner;

#pragma warning disable MA0055 // A response that is neither read nor disposed must not hold its permit indefinitely.
    ~HeldContent() => End();
#pragma warning restore MA0055

    /// <summary>The body that the method of a request leads to.</summary>
    public static ExpectedBody ExpectedFor(HttpRequestMessage request) =>
        request.Method == HttpMethod.Head ? ExpectedBody.None
        : request.Method == HttpMethod.Connect ? ExpectedBody.Connection
        : ExpectedBody.Content;

    /// <summary>Puts the hold into the response, or ends it if there is no body to come.</summary>
    public static HttpResponseMessage Attach(HttpResponseMessage response, ExpectedBody expected, Permit hold)
    {
        // A handler that follows redirects may have sent other requests. One that answers by itself may name none.
        if (!HasBody(response, response.RequestMessage is { } request ? ExpectedFor(request) : expected))
        {
            hold.End();
            return response;
        }

        try
        {
            var content = new HeldContent(response.Content);
            ContentHeaders.Copy(response.Content, content);
            response.Content = content;

            // Last: code that fails before this still owns the hold.
            content._hold = hold;
            return response;
        }
        catch
        {
            // No caller gets it: the content of another handler could not tell its length, for example.
            DisposeAfterFailure(response);
            throw;
        }
    }

    /// <summary>Ends the hold, unless that has happened.</summary>
    public void End()
    {
        if (Interlocked.Exchange(ref _hold, null) is { } hold)
        {
#pragma warning disable CA1816 // There is nothing left to finalize, disposed or not.
            GC.SuppressFinalize(this);
#pragma warning restore CA1816
            hold.End();
        }
    }

    protected override void SerializeToStream(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        try
        {
            _inner.CopyTo(stream, context, cancellationToken);
        }
        catch
        {
            EndAfterFailedCopy();
            throw;
        }

        End();
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        Task copying;
        try
        {
            copying = _inner.CopyToAsync(stream, context, cancellationToken);
        }
        catch
        {
            EndAfterFailedCopy();
            throw;
        }

        if (!copying.IsCompletedSuccessfully)
        {
            return EndAfterAsync(copying);
        }

        End();
        return copying;
    }

    protected override Stream CreateContentReadStream(CancellationToken cancellationToken)
    {
        _hasStream = true;
        try
        {
            return new HeldStream(_inner.ReadAsStream(cancellationToken), this);
        }
        catch
        {
            _hasStream = false;
            throw;
        }
    }

    protected override Task<Stream> CreateContentReadStreamAsync() => CreateContentReadStreamAsync(CancellationToken.None);

    protected override async Task<Stream> CreateContentReadStreamAsync(CancellationToken cancellationToken)
    {
        _hasStream = true;
        try
        {
            return new HeldStream(await _inner.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false), this);
        }
        catch
        {
            _hasStream = false;
            throw;
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        // The length known to the inner content is in the headers.
        length = 0;
        return false;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            try
            {
                _inner.Dispose();
            }
            finally
            {
                End();
            }
        }

        base.Dispose(disposing);
    }

    private static bool HasBody(HttpResponseMessage response, ExpectedBody expected) =>
        response.StatusCode is not (HttpStatusCode.NoContent or HttpStatusCode.NotModified)
        && expected != ExpectedBody.None
        && (IsRaw(response, expected)
            || !(response.Content.Headers.NonValidated.TryGetValues("Content-Length", out var length)
                && string.Equals(length.ToString(), "0", StringComparison.Ordinal)));

    /// <summary>Whether the body is the connection itself, which the request keeps regardless of any length.</summary>
    private static bool IsRaw(HttpResponseMessage response, ExpectedBody expected) =>
        response.StatusCode == HttpStatusCode.SwitchingProtocols
        || (response.StatusCode == HttpStatusCode.OK && expected == ExpectedBody.Connection);

    private async Task EndAfterAsync(Task copying)
    {
        try
        {
            await copying.ConfigureAwait(false);
        }
        catch
        {
            EndAfterFailedCopy();
            throw;
        }

        End();
    }

    // The body first: it could otherwise still be read, if only the destination of the copy has failed.
    private void EndAfterFailedCopy()
    {
        if (_hasStream)
        {
            return;
        }

        DisposeAfterFailure(_inner);
        End();
    }

    private static void DisposeAfterFailure(IDisposable failed)
    {
        try
        {
            failed.Dispose();
        }
#pragma warning disable CA1031 // The caller gets the failure that came first.
        catch (Exception)
#pragma warning restore CA1031
        {
            // It may be the content of another handler.
        }
    }
}
