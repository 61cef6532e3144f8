using Grpc.Core;
using Grpc.Net.Client;

namespace Poolhouse.Samples.Recipes;

// snippet: grpc-policy
internal sealed class GrpcPolicy(Uri server) : ResourcePolicy<GrpcChannel>
{
    public override async ValueTask<GrpcChannel> CreateAsync(CancellationToken cancellationToken)
    {
        var channel = GrpcChannel.ForAddress(server);
        try
        {
            await channel.ConnectAsync(cancellationToken); // tries until CreateTimeout
            return channel;
        }
        catch
        {
            channel.Dispose();
            throw;
        }
    }

    public override bool IsBroken(GrpcChannel item) =>
        item.State is ConnectivityState.TransientFailure or ConnectivityState.Shutdown;
}
// end snippet
