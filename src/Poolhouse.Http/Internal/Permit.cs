namespace Poolhouse.Http.Internal;

/// <summary>
/// Held for a request until the body of its response has ended: capacity of a bulkhead, or a request of a shard.
/// </summary>
// The code that took the permit owns it and ends it exactly once: the sender while there is no response, afterwards the content
// of the response.
internal abstract class Permit
{
    /// <summary>
    /// Releases the permit. Called once each time it was taken, from any thread, including the finalizer thread.
    /// </summary>
    public abstract void End();

    /// <summary>Returns the response with the permit attached to its content. A failed request releases the permit.</summary>
    // The kind of body and not the request: it makes the allocated state of this method no larger.
    public async Task<HttpResponseMessage> UntilBodyEndsAsync(Task<HttpResponseMessage> sending, ExpectedBody expected)
    {
        try
        {
            return HeldContent.Attach(await sending.ConfigureAwait(false), expected, this);
        }
        catch
        {
            End();
            throw;
        }
    }
}
