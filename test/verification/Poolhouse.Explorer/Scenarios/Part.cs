namespace Poolhouse.Explorer.Scenarios;

/// <summary>An item that detects a second owner, and uses after its destruction (I1).</summary>
internal sealed class Part
{
    private bool _isHeld;
    private bool _isDestroyed;

    public bool IsHeld => _isHeld;

    public bool IsDestroyed => _isDestroyed;

    public void Hold()
    {
        Require(!_isDestroyed, "A destroyed part is held.");
        Require(!_isHeld, "A part has two owners.");
        _isHeld = true;
    }

    public void Release() => _isHeld = false;

    public void Destroy()
    {
        Require(!_isHeld, "A part that is held is destroyed.");
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
