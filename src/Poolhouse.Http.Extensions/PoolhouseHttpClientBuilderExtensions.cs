using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Poolhouse.Extensions;
using Poolhouse.Http;
using Poolhouse.Http.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>
/// Extension methods that add bulkheads and sharded handlers to the clients of <see cref="IHttpClientFactory"/>.
/// </summary>
public static class PoolhouseHttpClientBuilderExtensions
{
    /// <summary>
    /// Sends the requests of a client through a <see cref="Bulkhead"/>, which limits how many are in progress at once.
    /// </summary>
    /// <param name="builder">The builder of the client.</param>
    /// <param name="configure">Sets options; null to set them in configuration.</param>
    /// <param name="pool">Configures more: configuration section, drain, health check, observers; null for nothing.</param>
    /// <param name="name">The name of the bulkhead; that of the client if it is null.</param>
    /// <returns>The builder of the client.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank, which that of the default client is, or contains a
    /// colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    /// <remarks>
    /// <para>
    /// The client factory replaces its handlers every few minutes; all handlers of the client share one bulkhead, so that the
    /// limit holds across them. It is a singleton, can be resolved with its name as the service key, and is one of
    /// <see cref="IPools"/>.
    /// </para>
    /// <para>
    /// Handlers that were added to the client before this one see each request before it waits; those added later see it when it
    /// has been admitted. With a handler for retries before it, each attempt is admitted separately.
    /// </para>
    /// </remarks>
    public static IHttpClientBuilder AddPoolhouseBulkhead(
        this IHttpClientBuilder builder,
        Action<BulkheadOptions>? configure = null,
        Action<PoolBuilder<BulkheadOptions>>? pool = null,
        string? name = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        if (name is null && (string.IsNullOrWhiteSpace(builder.Name) || builder.Name.Contains(':', StringComparison.Ordinal)))
        {
            throw new ArgumentException(
                $"The name of the HTTP client is \"{builder.Name}\", which a bulkhead cannot have: give the bulkhead another one " +
                $"with the argument name: of AddPoolhouseBulkhead; allowed: a text without colons that is not blank.",
                nameof(name));
        }

        var key = name ?? builder.Name;
        var registered = PoolServices.Add(builder.Services, key, nameof(AddPoolhouseBulkhead), new BulkheadKind(), configure);
        pool?.Invoke(registered);
        return builder.AddHttpMessageHandler(services => new BulkheadHandler(services.GetRequiredKeyedService<Bulkhead>(key)));
    }

    /// <summary>
    /// Spreads the requests of a client over several handlers with connections of their own: its primary handler is a
    /// <see cref="ShardedHandler"/>.
    /// </summary>
    /// <param name="builder">The builder of the client.</param>
    /// <param name="configure">Sets options; they are also named options, with the name of the client.</param>
    /// <returns>The builder of the client.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> or <paramref name="configure"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The method was called before for this client.</exception>
    /// <remarks>
    /// The sharded handler is a singleton, can be resolved with the name of the client as the service key, and outlives the
    /// handlers that the factory replaces: connections are renewed by <see cref="ShardedHandlerOptions.MaxLifetime"/> and by
    /// changes of DNS, not by the factory. It replaces a primary handler that was set before. The host creates it before its
    /// services start, so that invalid settings prevent the start.
    /// </remarks>
    public static IHttpClientBuilder UsePoolhouseShards(this IHttpClientBuilder builder, Action<ShardedHandlerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        var (services, client) = (builder.Services, builder.Name);
        if (services.Any(service => !service.IsKeyedService && service.ImplementationInstance is ShardsRegistration other
            && string.Equals(other.Client, client, StringComparison.Ordinal)))
        {
            throw new InvalidOperationException(
                $"Client '{client}' has shards already. Call UsePoolhouseShards once for each client.");
        }

        services.Configure(client, configure);
        services.AddSingleton(new ShardsRegistration(client));
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, ShardsStart>());
        services.AddKeyedSingleton(client, (provider, _) => Create(provider, client));
        return builder.ConfigurePrimaryHttpMessageHandler(
            provider => new KeptHandler(provider.GetRequiredKeyedService<ShardedHandler>(client)));
    }

    private static ShardedHandler Create(IServiceProvider services, string client)
    {
        var options = services.GetRequiredService<IOptionsFactory<ShardedHandlerOptions>>().Create(client);
        if (options.TimeProvider == TimeProvider.System && services.GetService<TimeProvider>() is { } clock)
        {
            options.TimeProvider = clock;
        }

        try
        {
            return new ShardedHandler(options);
        }
        catch (ArgumentException e) when (string.Equals(e.ParamName, nameof(options), StringComparison.Ordinal))
        {
            throw new OptionsValidationException(
                client, typeof(ShardedHandlerOptions), [$"Client '{client}' (UsePoolhouseShards): {e.Message}"]);
        }
    }
}
