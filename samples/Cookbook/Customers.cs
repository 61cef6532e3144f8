using Microsoft.Extensions.DependencyInjection;

namespace Poolhouse.Samples.Cookbook;

// snippet: recipe-inject-use
internal sealed class Customers([FromKeyedServices("crm")] ResourcePool<Session> sessions)
{
    public ValueTask<string> FindAsync(string name, CancellationToken token) =>
        sessions.UseAsync(async (session, cancellation) => await session.SendAsync(name, cancellation), token);
}
// end snippet
