using System.Transactions;

namespace Poolhouse.EntityFrameworkCore.Internal;

/// <summary>The transaction scopes in which a context was used and that may not have completed.</summary>
// Entity Framework loses track of the scope whenever another connection is set.
internal sealed class ContextScopes
{
    private List<Transaction>? _scopes;

    public void Add(Transaction scope)
    {
        if (_scopes?.Contains(scope) != true)
        {
            _scopes ??= [];
            RemoveEnded(_scopes);
            _scopes.Add(scope);
        }
    }

    public void Clear() => _scopes = null;

    public void ThrowIfOneIsPending()
    {
        if (_scopes is not null && Transaction.Current is null)
        {
            RemoveEnded(_scopes);
            if (_scopes.Count > 0)
            {
                throw new InvalidOperationException(
                    "The context was used in a transaction scope that has not completed. Complete the scope before using the " +
                    "context outside it.");
            }
        }
    }

    private static void RemoveEnded(List<Transaction> scopes) =>
        scopes.RemoveAll(static scope => !ConnectionSource.IsActive(scope));
}
