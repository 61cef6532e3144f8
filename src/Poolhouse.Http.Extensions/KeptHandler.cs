using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Http.Extensions;

/// <summary>
/// Passes requests on to a handler that outlives it: the client factory disposes of its handlers when it replaces them.
/// </summary>
internal sealed class KeptHandler(HttpMessageHandler handler) : DelegatingHandler(handler)
{
    [SuppressMessage(
        "Usage", "CA2215", Justification = "The base class would dispose of the inner handler, which the container owns.")]
    protected override void Dispose(bool disposing)
    {
    }
}
