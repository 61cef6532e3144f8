using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Infrastructure;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>What a context's options say about its connection.</summary>
internal sealed class ContextSettings(IDbContextOptions options)
{
    public IDbContextOptions Options => options;

    /// <summary>Whether the context was configured with a connection string, and not with a data source.</summary>
    public bool HasConnectionString { get; } = RelationalOptionsExtension.Extract(options).ConnectionString is not null;

    /// <summary>Whether interceptors of the application may change a connection before it is opened.</summary>
    public bool IsIntercepted { get; } = Has(options, static each => each is IDbConnectionInterceptor);

    /// <summary>Whether every statement is known. Interceptors of the application may execute anything.</summary>
    public bool IsObservable { get; } = !Has(
        options, static each => each is IDbConnectionInterceptor or IDbCommandInterceptor or IDbTransactionInterceptor);

    private static bool Has(IDbContextOptions options, Func<IInterceptor, bool> isOne) =>
        options.FindExtension<CoreOptionsExtension>()?.Interceptors?.Any(isOne) == true;
}
