using System.Data.Common;

namespace Poolhouse.Data.Providers.Resets;

/// <summary>
/// Leaves the reset to the provider: the connection is closed into the provider's pool of one and opened again.
/// </summary>
// Neither is a round trip for providers that send their reset along with the next command, as Npgsql does. An open transaction is
// rolled back by the close.
internal sealed class ProviderReset : SessionReset
{
    internal override bool WantsOwnPool => true;

    public static async ValueTask ReopenAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        await connection.CloseAsync().ConfigureAwait(false);
        await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
    }

    public override async ValueTask<bool> ResetAsync(
        DbConnection connection, object? captured, CancellationToken cancellationToken)
    {
        await ReopenAsync(connection, cancellationToken).ConfigureAwait(false);
        return true;
    }
}
