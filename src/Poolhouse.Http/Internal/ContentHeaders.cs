namespace Poolhouse.Http.Internal;

/// <summary>Copies the headers of a content to its replacement.</summary>
// No public member gives an existing collection of headers to a content, so values are copied as received, without parsing.
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
