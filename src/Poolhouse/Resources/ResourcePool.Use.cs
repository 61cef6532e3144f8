namespace Poolhouse;

/// <content>Rents for as long as a delegate runs.</content>
public sealed partial class ResourcePool<T>
{
    /// <summary>Rents an item, uses it and returns it, tainted if the use throws or is cancelled.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="use">The operation on the item.</param>
    /// <param name="cancellationToken">Ends the wait and is passed to <paramref name="use"/>.</param>
    /// <returns>The result of <paramref name="use"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="use"/> is null.</exception>
    /// <remarks>
    /// Throws the exceptions of <see cref="RentAsync(CancellationToken)"/> and those of <paramref name="use"/>.
    /// </remarks>
    public async ValueTask<TResult> UseAsync<TResult>(
        Func<T, CancellationToken, ValueTask<TResult>> use, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(use);
        var lease = await RentAsync(cancellationToken).ConfigureAwait(false);
        await using (lease.ConfigureAwait(false))
        {
            try
            {
                return await use(lease.Value, cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                lease.Taint();
                throw;
            }
        }
    }

    /// <summary>Rents an item, uses it and returns it, tainted if the use throws.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="use">The operation on the item.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The result of <paramref name="use"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="use"/> is null.</exception>
    /// <remarks>Throws the exceptions of <see cref="Rent(CancellationToken)"/> and those of <paramref name="use"/>.</remarks>
    public TResult Use<TResult>(Func<T, TResult> use, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(use);
        using var lease = Rent(cancellationToken);
        try
        {
            return use(lease.Value);
        }
        catch
        {
            lease.Taint();
            throw;
        }
    }
}
