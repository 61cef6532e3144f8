namespace Poolhouse.Samples.Databases;

internal sealed class Vault
{
    public int Asked { get; private set; }

    public ValueTask<string?> ReadPasswordAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Asked++;
        return new ValueTask<string?>((string?)null);
    }
}
