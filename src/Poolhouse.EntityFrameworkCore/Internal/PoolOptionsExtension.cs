using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Microsoft.EntityFrameworkCore.Migrations;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.EntityFrameworkCore.Internal.Migrations;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>Carries the pool in the options of contexts, and registers its services with Entity Framework.</summary>
// The services are the same for every pool, so that contexts of many pools share Entity Framework's internal service provider:
// each context finds its pool in its options.
internal sealed class PoolOptionsExtension(ConnectionSource source) : IDbContextOptionsExtension
{
    private ContextSettings? _settings;

    public ConnectionSource Source => source;

    public DbContextOptionsExtensionInfo Info => field ??= new ExtensionInfo(this);

    public void ApplyServices(IServiceCollection services)
    {
        services.AddScoped(static provider =>
        {
            var options = provider.GetRequiredService<IDbContextOptions>();
            var extension = options.FindExtension<PoolOptionsExtension>()!;
            return new ContextConnection(provider, extension.Source, extension.SettingsOf(options));
        });
        services.AddScoped<IInterceptor>(
            static provider => new ContextInterceptor(provider.GetRequiredService<ContextConnection>()));

        // After the provider's own: they roll back and count down before the connection is returned.
        services.AddScoped<IResettableService>(static provider => provider.GetRequiredService<ContextConnection>());
        Decorate<IDatabaseFacadeDependencies>(services, static (provider, inner) =>
            inner is IRelationalDatabaseFacadeDependencies relational
            ? new FacadeDependencies(relational, provider.GetRequiredService<ContextConnection>())
            : inner);
        Decorate<IRelationalDatabaseCreator>(services, static (provider, inner) => new UnpooledDatabaseCreator(
            provider.GetRequiredService<RelationalDatabaseCreatorDependencies>(), inner,
            provider.GetRequiredService<ContextConnection>()));
        Decorate<IHistoryRepository>(services, static (provider, inner) =>
            new UnpooledHistoryRepository(inner, provider.GetRequiredService<ContextConnection>()));
        Decorate<IMigrator>(
            services, static (provider, inner) => new UnpooledMigrator(inner, provider.GetRequiredService<ContextConnection>()));
        Decorate<IRelationalTransactionFactory>(services, static (provider, inner) =>
            new ContextTransactionFactory(inner, provider.GetRequiredService<ISqlGenerationHelper>()));
        Decorate<IExecutionStrategyFactory>(services, static (_, inner) => new RetryingStrategyFactory(inner));
    }

    public void Validate(IDbContextOptions options)
    {
        if (!options.Extensions.TakeWhile(extension => extension != this).OfType<RelationalOptionsExtension>().Any())
        {
            throw new InvalidOperationException(
                "UsePoolhouse was called before a relational provider was configured. Call it after UseNpgsql, UseSqlServer, " +
                "UseSqlite or another provider.");
        }

        if (options.FindExtension<CoreOptionsExtension>()?.InternalServiceProvider is not null)
        {
            throw new InvalidOperationException(
                "UsePoolhouse has no effect together with UseInternalServiceProvider. Remove one of the two.");
        }
    }

    // Contexts with the same options read them once: that takes longer than renting a connection.
    public ContextSettings SettingsOf(IDbContextOptions options) =>
        _settings is { } known && ReferenceEquals(known.Options, options)
            ? known
            : _settings = new ContextSettings(options);

    private static void Decorate<TService>(IServiceCollection services, Func<IServiceProvider, TService, TService> decorate)
        where TService : class
    {
        // None, if UsePoolhouse was called before the provider: Validate reports that.
        if (services.LastOrDefault(service => service.ServiceType == typeof(TService)) is { } inner)
        {
            var create = CreatorOf(inner);
            services.Remove(inner);
            services.Add(
                new ServiceDescriptor(
                    typeof(TService), provider => decorate(provider, (TService)create(provider)), inner.Lifetime));
        }
    }

    // Every context creates them: the constructor is looked up once.
    private static Func<IServiceProvider, object> CreatorOf(ServiceDescriptor service)
    {
        if (service.ImplementationType is not { } type)
        {
            return service.ImplementationFactory ?? (_ => service.ImplementationInstance!);
        }

        var factory = ActivatorUtilities.CreateFactory(type, []);
        return provider => factory(provider, []);
    }

    private sealed class ExtensionInfo(PoolOptionsExtension extension) : DbContextOptionsExtensionInfo(extension)
    {
        public override bool IsDatabaseProvider => false;

        public override string LogFragment => $"using pool '{extension.Source.Name}' ";

        public override int GetServiceProviderHashCode() => 0;

        public override bool ShouldUseSameServiceProvider(DbContextOptionsExtensionInfo other) => other is ExtensionInfo;

        public override void PopulateDebugInfo(IDictionary<string, string> debugInfo) =>
            debugInfo["Poolhouse:Pool"] = extension.Source.Name;
    }
}
