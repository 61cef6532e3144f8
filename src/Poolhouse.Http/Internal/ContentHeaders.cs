namespace Poolhouse.Http.Internal;

/// <summary>Copies the headers of a content to its replacement.</summary>
// Values are copied as they were received, without parsing them (docs/design/adr-0017-response-headers-are-copied.md).
internal static class ContentHeaders
{
    public static void Copy(HttpContent from, HttpContent to)
    {
        var headers = from.Headers;
        if (!headers.NonValidated.Contains("Content-Length"))
        {
            // A content that knows its length computes it on demand, which is impossible later.
            _ = headers.ContentLength;
        }

        foreach (var (name, values) in headers.NonValidated)
        {
            if (values.Count == 1)
            {
                to.Headers.TryAddWithoutValidation(name, values.ToString());
            }
            else
            {
                to.Headers.TryAddWithoutValidation(name, values);
            }
        }
    }
}
