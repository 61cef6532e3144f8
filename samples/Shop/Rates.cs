using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Poolhouse.Samples.Shop;

/// <summary>Exchange rates from another server: without one in the settings, from this app itself.</summary>
internal sealed class Rates(HttpClient client, IConfiguration configuration, IServer server)
{
    private Uri Address =>
        new(configuration["Rates:Address"] ?? server.Features.Get<IServerAddressesFeature>()!.Addresses.First());

    public async Task<decimal> GetAsync(string currency, CancellationToken cancellationToken) =>
        await client.GetFromJsonAsync<decimal>(new Uri(Address, $"/rates/{Uri.EscapeDataString(currency)}"), cancellationToken);
}
