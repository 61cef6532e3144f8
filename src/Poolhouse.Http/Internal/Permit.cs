namespace Poolhouse.Http.Internal;

/// <summary>
/// What is held for a request until the body of its response has ended: a place in a bulkhead, or a part in a shard.
/// </summary>
// The code that has begun a hold owns it and ends it exactly once: the sender while there is no response, afterwards the content of the
// response.
internal abstract class Permit
{
    /// <summary>Ends it. Called once for each time it was begun, from any thread, also from the finalizer's.</summary>
    public abstract void End();

    /// <summary>Passes the response on, with the hold in its content; a request that failed ends the hold.</summary>
    public async Task<HttpResponseMessage> UntilBodyEndsAsync(Task<HttpResponseMessage> sending)
    {
        try
        {
            return HeldContent.Attach(await sending.ConfigureAwait(false), this);
        }
        catch
        {
            End();
            throw;
        }
    }
}
