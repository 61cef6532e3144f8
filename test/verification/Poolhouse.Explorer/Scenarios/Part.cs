namespace Poolhouse.Explorer.Scenarios;

/// <summary>An item that notices two owners, and use after its end (I1).</summary>
internal sealed class Part
{
    private bool _isHeld;
    private bool _isDestroyed;

    public bool IsHeld => _isHeld;

    public void Hold()
    {
        Require(!_isDestroyed, "Somebody holds a part that was destroyed.");
        Require(!_isHeld, "A part has two owners.");
        _isHeld = true;
    }

    public void LetGo() => _isHeld = false;

    public void Destroy()
    {
        Require(!_isHeld, "A part is destroyed that somebody holds.");
        Require(!_isDestroyed, "A part is destroyed twice.");
        _isDestroyed = true;
    }

    public static void Require(bool holds, string otherwise)
    {
        if (!holds)
        {
            throw new InvalidOperationException(otherwise);
        }
    }
}
