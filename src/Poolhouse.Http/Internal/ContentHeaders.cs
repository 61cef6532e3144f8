using System.Net.Http.Headers;
using System.Runtime.CompilerServices;

namespace Poolhouse.Http.Internal;

/// <summary>Copies the headers of a content to its replacement.</summary>
// A content makes its own collection of headers, and copying the usual two costs 170 bytes a response: more than all the rest. So
// the collection itself changes hands, through two private fields of the runtime. Where the runtime has them no longer, or they
// no longer do what is expected, headers are copied (docs/design/adr-0017-response-headers-are-transferred.md).
internal static class ContentHeaders
{
    /// <summary>Whether the runtime's fields are there and do what is expected of them.</summary>
    public static bool CanHandOver { get; } = Probe();

    public static void Move(HttpContent from, HttpContent to) => Move(from, to, CanHandOver);

    public static void Move(HttpContent from, HttpContent to, bool handOver)
    {
        var headers = from.Headers;
        if (!headers.NonValidated.Contains("Content-Length"))
        {
            // A content that knows its length computes it on demand, which is impossible later.
            _ = headers.ContentLength;
        }

        if (handOver)
        {
            HandOver(headers, to);
        }
        else
        {
            Copy(headers, to.Headers);
        }
    }

    private static void Copy(HttpContentHeaders from, HttpContentHeaders to)
    {
        foreach (var header in from.NonValidated)
        {
            to.TryAddWithoutValidation(header.Key, header.Value);
        }
    }

    private static void HandOver(HttpContentHeaders headers, HttpContent to)
    {
        HeadersOf(to) = headers;
        ParentOf(headers) = to;
    }

    private static bool Probe()
    {
        try
        {
            using var from = new ByteArrayContent([1]);
            using var to = new ByteArrayContent([1, 2]);
            from.Headers.TryAddWithoutValidation("Content-Language", "en");
            var headers = from.Headers;
            HandOver(headers, to);
            return ReferenceEquals(to.Headers, headers) && to.Headers.ContentLength == 2;
        }
        catch (MissingFieldException)
        {
            return false;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_headers")]
    private static extern ref HttpContentHeaders? HeadersOf(HttpContent content);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_parent")]
    private static extern ref HttpContent ParentOf(HttpContentHeaders headers);
}
